package main
var costMetricsCommand = command{name:"metrics"}
