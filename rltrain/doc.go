// Package rltrain is the root of the packages that turn the responses of a model into
// rewards and into data for training. It holds no code itself:
//
//	         dataset                     server
//	(tasks ─► rows of data sets)   (the oracle over HTTP)
//	            │                           │
//	            └───────────► oracle ◄──────┘
//	                  (task, judge, distances, episodes)
//	                            │
//	                            ▼
//	                         groups        advantages, constraint terms, pairs
//	                            │
//	                            ▼
//	                          rows         a line of JSON ─► request; score ─► a line
//	                            │
//	                            ▼
//	                         reward        evidence ─► reward and components
//
// A package imports only those below it. Start with package oracle to score responses, with
// package reward to add or read a reward, and with package dataset to make training data.
// python/ holds the Python package with the adapters for trainers.
package rltrain
