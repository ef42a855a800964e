package main

var exhaustCommand = command{name: "exhaust", action: func(e env) error { return nil }}
var capabilitiesCommand = command{name: "capabilities", action: func(e env) error { return nil }}
