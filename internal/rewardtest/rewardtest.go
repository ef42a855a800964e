// Package rewardtest holds reward files for the tests of several packages.
package rewardtest

// Mixes are reward files, one of each shape, that are not built in.
var Mixes = []string{
	`{"schema":"planproof.reward/1","name":"p01","kind":"process","normalised":true}`,
	`{"schema":"planproof.reward/1","name":"robots","kind":"multirobot","form":"parsed","format":0.2,"per_step":0.05}`,
	`{"schema":"planproof.reward/1","name":"tight","kind":"budget","budget":"tight","measure":"optimality"}`,
	`{"schema":"planproof.reward/1","name":"loose","kind":"budget","budget":"loose","measure":"cost_ratio"}`,
	`{"schema":"planproof.reward/1","name":"fixed","kind":"budget","budget":"12.5"}`,
	`{"schema":"planproof.reward/1","name":"free","kind":"budget","budget":"unlimited","measure":"cost_ratio"}`,
	`{"schema":"planproof.reward/1","name":"near","kind":"shaped","base":"multirobot","weight":2}`,
	`{"schema":"planproof.reward/1","name":"mix","kind":"weighted","parts":{"v":"valid","f":"format"},"reward":"0.9*v + 0.1*f"}`,
	`{"schema":"planproof.reward/1","name":"mix2","kind":"weighted",
	  "parts":{"v":"valid","p":{"kind":"process","skip":true},"b":{"kind":"budget","budget":"unlimited","measure":"cost_ratio"}},
	  "reward":"choose(v == 1, 1 + b, clamp(p.closer / max(p.gold_steps, 1), 0, 1) / 2)"}`,
}
