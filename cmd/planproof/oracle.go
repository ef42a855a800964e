package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/oracle"
	"github.com/planproof/planproof/rltrain/server"

	"github.com/urfave/cli/v2"
)

var oracleCommand = command{
	name: "oracle", usage: "reward oracle for a training run, over HTTP or a pipe", args: "",
	flags: append([]cli.Flag{
		&cli.BoolFlag{Name: "stdio", Usage: "serve JSON Lines on standard input and output"},
		&cli.StringFlag{Name: "listen", Usage: "serve HTTP on `ADDR`, host:port or unix:PATH"},
		&cli.StringFlag{Name: "tasks", Usage: "load the tasks of `FILE`, JSON Lines"},
		&cli.BoolFlag{Name: "prepare", Usage: "make the distance tables of all loaded tasks before serving"},
		&cli.StringFlag{Name: "store", Usage: "look ground truth up in the store `FILE`"},
		&cli.StringFlag{Name: "token-file", Usage: "ask for the bearer token that `FILE` holds"},
		&cli.StringFlag{Name: "tls-cert", Usage: "serve HTTPS with the certificate in `FILE`"},
		&cli.StringFlag{Name: "tls-key", Usage: "the certificate's key in `FILE`"},
	}, oracleFlags()...),
	action: func(e env) error {
		if e.Bool("list-rewards") {
			return e.listRewards()
		}
		listen := e.String("listen")
		switch {
		case e.NArg() > 0:
			return fmt.Errorf("unexpected argument %q", e.Args().First())
		case e.Bool("stdio") == (listen != ""):
			return errors.New("oracle needs either --stdio or --listen ADDR")
		}
		opt, err := e.oracleOptions()
		if err != nil {
			return err
		}
		opt.Version, opt.Build = version, builtFrom()
		if name := e.String("tasks"); name != "" {
			if opt.Tasks, err = oracle.LoadTasks(name); err != nil {
				return err
			}
		}
		if name := e.String("store"); name != "" {
			s, err := store.OpenReadOnly(name)
			if err != nil {
				return err
			}
			defer s.Close()
			opt.Truth = &truthStore{s, opt.Schedule}
		}
		o, err := oracle.New(opt)
		if err != nil {
			return err
		}
		if err := e.prepareTasks(o); err != nil {
			return err
		}
		// What is kept is small beside what a batch leaves behind: docs/decisions/serving.md.
		defer collectAt(400)()
		if listen == "" {
			return o.ServeStdio(e.Context.Context, e.in, e.out)
		}
		return e.listen(o, listen)
	},
}

// prepareTasks makes what scoring the loaded tasks needs. What is wrong with them is told
// of all of them.
func (e env) prepareTasks(o *oracle.Oracle) error {
	if !e.Bool("prepare") {
		return nil
	}
	if o.Tasks().Len() == 0 {
		return errors.New("--prepare needs --tasks")
	}
	var errs []error
	for i := range o.Tasks().Len() {
		t := o.Tasks().At(i)
		if err := o.Prepare(e.Context.Context, taskref.Ref{Task: t.Sum}, ""); err != nil {
			name := t.ID
			if name == "" {
				name = t.Sum
			}
			errs = append(errs, fmt.Errorf("task %s: %w", name, err))
		}
		if e.Context.Context.Err() != nil {
			return e.limited(statusInterrupted, "interrupted: not all tasks are prepared")
		}
	}
	return errors.Join(errs...)
}

// listen serves HTTP until the command is interrupted.
func (e env) listen(o *oracle.Oracle, address string) error {
	opt := server.Options{Log: e.err}
	if name := e.String("token-file"); name != "" {
		token, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if opt.Token = strings.TrimSpace(string(token)); opt.Token == "" {
			return fmt.Errorf("%s holds no token", name)
		}
	}
	scheme := "http"
	if cert, key := e.String("tls-cert"), e.String("tls-key"); cert != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return fmt.Errorf("--tls-cert and --tls-key: %w", err)
		}
		opt.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
		scheme = "https"
	}
	l, err := server.Listen(address)
	if err != nil {
		return err
	}
	place := scheme + "://" + l.Addr().String()
	if strings.HasPrefix(address, "unix:") {
		place = address
	}
	if e.Bool("json") {
		err = printJSON(e.out, map[string]string{"listening": place})
	} else {
		_, err = fmt.Fprintf(e.out, "listening on %s\n", place)
	}
	if err != nil {
		l.Close()
		return err
	}
	return server.New(o, opt).Serve(e.Context.Context, l)
}

// truthStore looks ground truth up in a store.
type truthStore struct {
	store    *store.Store
	schedule costmodel.Schedule // of requests that name none
}

// Truth implements oracle.TruthSource.
func (t *truthStore) Truth(_ context.Context, domain, problem, schedule string) (any, error) {
	s := t.schedule
	if schedule != "" {
		var err error
		if s, err = costmodel.ParseNamed(schedule); err != nil {
			return nil, err
		}
	}
	key, err := store.KeyOf(pddl.NewSource("domain", domain), pddl.NewSource("problem", problem), s)
	if err != nil {
		return nil, err
	}
	r, found, err := t.store.Lookup(key)
	if err != nil || !found {
		return nil, err
	}
	return store.NewRow(r, false), nil
}
