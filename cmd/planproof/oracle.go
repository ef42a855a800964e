package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/rltrain/oracle"
	"github.com/planproof/planproof/rltrain/server"
)

var oracleCommand = command{
	name: "oracle", usage: "reward oracle for a training run, over HTTP or a pipe", args: "",
	spec:   `stdio:bool listen files tasks prepare:bool store token-file tls-cert tls-key +oracle +strict +schedule`,
	drains: true,
	action: func(e env) error {
		if e.Bool("list-rewards") {
			return e.listRewards()
		}
		listen := e.String("listen")
		switch {
		case e.Bool("stdio") == (listen != ""):
			return errors.New("oracle needs either --stdio or --listen ADDR")
		case listen != "" && e.String("files") != "":
			return errors.New("--files is for --stdio: a request over HTTP never names a file")
		}
		opt, err := e.oracleOptions()
		if err != nil {
			return err
		}
		if opt.Files = oracle.NoFiles(); e.String("files") != "" {
			if opt.Files, err = oracle.FilesOf(e.String("files"), maxRowFile); err != nil {
				return fmt.Errorf("--files: %w", err)
			}
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
			opt.Truth = s.Source(opt.Schedule)
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
			err := o.ServeStdio(e.Context.Context, e.in, e.out)
			if errors.Is(err, context.Canceled) {
				fmt.Fprintln(e.err, "planproof: interrupted: what had been read is answered")
				return exit(exitLimit)
			}
			return err
		}
		return e.listen(o, listen)
	},
}

// maxRowFile bounds a file that a row names.
const maxRowFile = 256 << 20

// prepareTasks makes what scoring the loaded tasks needs.
func (e env) prepareTasks(o *oracle.Oracle) error {
	switch {
	case !e.Bool("prepare"):
		return nil
	case o.Tasks().Len() == 0:
		return errors.New("--prepare needs --tasks")
	}
	err := o.PrepareTasks(e.Context.Context)
	if e.Context.Context.Err() != nil {
		return e.limited(statusInterrupted, "interrupted: not all tasks are prepared")
	}
	return err
}

// listen serves HTTP until the command is interrupted.
func (e env) listen(o *oracle.Oracle, address string) (err error) {
	opt := server.Options{Log: e.err}
	if name := e.String("token-file"); name != "" {
		if opt.Token, err = server.ReadToken(name); err != nil {
			return err
		}
	}
	if cert, key := e.String("tls-cert"), e.String("tls-key"); cert != "" || key != "" {
		if opt.TLS, err = server.ReadTLS(cert, key); err != nil {
			return fmt.Errorf("--tls-cert and --tls-key: %w", err)
		}
	}
	l, err := server.Listen(address)
	if err != nil {
		return err
	}
	place := server.Address(l, opt.TLS != nil)
	err = e.print(map[string]string{"listening": place}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "listening on %s\n", place)
		return err
	})
	if err != nil {
		l.Close()
		return err
	}
	return server.New(o, opt).Serve(e.Context.Context, l)
}
