package extract

// The sets of words that are asked for by their spelling, by the kinds of words.txt, which says what each is for.
var (
	// Markers and tags.
	markerWords  = setOf("marker")
	planTags     = setOf("tag plan")
	answerTags   = setOf("tag answer")
	thinkTags    = setOf("tag thought")
	markupTags   = setOf("tag layout")
	emphasisTags = setOf("tag emphasis")
	struckTags   = setOf("tag struck")
	tagWords     = setOf("tag denied")
	callTags     = setOf("tag step")
	boxWords     = setOf("box")

	// Keys and functions of JSON, YAML and code.
	planKeys    = setOf("key plan")
	pluralKeys  = setOf("key plans")
	actionKeys  = setOf("key action")
	argKeys     = setOf("key arguments")
	wrapKeys    = setOf("key wrap")
	moreKeys    = setOf("key more")
	remarkKeys  = setOf("key remark")
	verdictKeys = setOf("key verdict")
	yesWords    = setOf("key yes")
	noWords     = setOf("key no")
	planCalls   = setOf("call plan")
	receivers   = setOf("receiver")
	appendWords = setOf("append")
	alterWords  = setOf("alter")
	blockWords  = setOf("block")

	// Columns of tables.
	actionColumns   = setOf("column action")
	argumentColumns = setOf("column argument")
	stateColumns    = setOf("column state")
	stepStates      = setOf("column world")
	otherColumns    = setOf("column other")

	// Words of labels and of states.
	numberWords  = setOf("number")
	numerals     = setOf("numeral")
	ordinalEnds  = setOf("ordinal end")
	remarkLabels = setOf("remark")
	finalWords   = setOf("state final")
	asideWords   = setOf("state aside")

	// Words before, behind or in the place of a step.
	onceMore     = setOf("again")
	backWords    = setOf("back")
	takeBacks    = setOf("takes back")
	needs        = setOf("needed")
	quantifiers  = setOf("quantifier")
	lastingWords = setOf("lasting")
	doneWords    = setOf("done")
	withholds    = setOf("withholds")

	// Words of sentences about a plan.
	clauseWords  = setOf("clause")
	likenWords   = setOf("likens")
	askWords     = setOf("asks")
	turnWords    = setOf("turn")
	sayingWords  = setOf("saying")
	firstPerson  = setOf("first person")
	ownNames     = setOf("own")
	changeWords  = setOf("changes")
	changedWords = setOf("changed")
	lapses       = setOf("lapses")
	lastWords    = setOf("last")
	obliges      = setOf("obliges")
	amendWords   = setOf("amends")
	comparatives = setOf("comparative")
	wholeWords   = setOf("whole")
	otherWords   = setOf("other")
	supposeWords = setOf("supposes")
	unrealWords  = setOf("unreal")
	placeWords   = setOf("place")
)
