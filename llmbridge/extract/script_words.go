package extract

import (
	"strings"
	"unicode/utf8"
)

// Scripts without spaces have no words to look up: what a line says of a plan is read from parts of it.

var (
	scriptDenials = strings.Fields("错误 错的 失败 无效 作废 不可行 不正确 不成立 行不通 请忽略 不要执行 不要使用 废弃 否决 反例 草稿 錯誤 錯的 失敗 無效 不可執行 誤り 誤った 間違 無効 使わない 実行しない うまくいかない 下書き 잘못 실패 무효 틀린 실행하지 폐기 초안 ผิด गलत خاطئ خطأ שגוי")
	scriptClears  = strings.Fields("如果 若 否则 没有 無 无 不会 避免 防止 修正 纠正 更正 改正 正确 正確 正しい ない もし せずに 만약 없 않 수정 올바른")
	scriptNoPlans = strings.Fields("没有可行 没有计划 没有有效 没有解 无解 無解 不存在 不可能 解なし 解はありません 計画はありません 存在しません 불가능 계획이없 해가없 존재하지않")
)

// scriptLetter reports whether a letter is of a script that the vocabulary has no words of.
func scriptLetter(r rune) bool { return r >= 0x590 && r < 0xff00 && (r < 0x2000 || r > 0x303f) }

// scriptSays returns what a short line in such a script says: that a plan is wrong, or that there is none.
func scriptSays(line string) (denied, unsolvable bool) {
	const most = 40 // letters
	if strings.IndexFunc(line, scriptLetter) < 0 || utf8.RuneCountInString(line) > most {
		return false, false
	}
	line = strings.ReplaceAll(line, " ", "")
	for _, part := range scriptNoPlans {
		unsolvable = unsolvable || strings.Contains(line, part)
	}
	for _, part := range scriptDenials {
		if strings.Contains(line, part) {
			line, denied = strings.ReplaceAll(line, part, ""), true
		}
	}
	for _, part := range scriptClears {
		denied = denied && !strings.Contains(line, part)
	}
	return denied, unsolvable
}
