package extract

// The sets of words that are asked for by their spelling, by the kinds of words.txt, which says what each is for.
var (
	// Markers and tags.
	markerWords  = foldedSetOf("marker")
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
	receivers   = foldedSetOf("receiver")
	blockWords  = foldedSetOf("block")

	// Columns of tables.
	actionColumns   = setOf("column action")
	argumentColumns = setOf("column argument")
	stateColumns    = setOf("column state")
	stepStates      = setOf("column world")
	otherColumns    = setOf("column other")

	// Words of labels and of states.
	numberWords  = foldedSetOf("number")
	remarkLabels = foldedSetOf("remark")
	finalWords   = setOf("state final")
	asideWords   = setOf("state aside")

	// Words before, behind or in the place of a step.
	onceMore     = setOf("again")
	backWords    = foldedSetOf("back")
	takeBacks    = foldedSetOf("takes back")
	needs        = foldedSetOf("needed")
	quantifiers  = foldedSetOf("quantifier")
	lastingWords = foldedSetOf("lasting")
	doneWords    = foldedSetOf("done")
	withholds    = foldedSetOf("withholds")

	// Words of sentences about a plan.
	clauseWords  = foldedSetOf("clause")
	likenWords   = foldedSetOf("likens")
	askWords     = foldedSetOf("asks")
	sayingWords  = foldedSetOf("saying")
	firstPerson  = foldedSetOf("first person")
	ownNames     = setOf("own")
	changeWords  = foldedSetOf("changes")
	changedWords = foldedSetOf("changed")
	amendWords   = foldedSetOf("amends")
	comparatives = foldedSetOf("comparative")
	wholeWords   = foldedSetOf("whole")
	otherWords   = foldedSetOf("other")
	supposeWords = foldedSetOf("supposes")
	unrealWords  = foldedSetOf("unreal")
	placeWords   = setOf("place")
)
