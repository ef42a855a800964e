package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/certificate"
)

// certExt ends the names of certificates in their folder; the rest is the key.
const certExt = ".cert.gz"

// addCertificate makes the certificate of a proven row and adds it to the record. What
// keeps it from being made is its status; an error is one of writing, or a bug. False: ctx
// ended first. found is nil for a row that was in the store: it is solved again.
func (f *filler) addCertificate(ctx context.Context, t *Task, r *Record, found *outcome) (bool, error) {
	if found == nil {
		var again *Record
		if again, found = f.solve(ctx, t); again == nil {
			return false, nil
		}
		if !proven(again.Status) {
			r.Certificate = Attachment{Status: string(again.Status)}
			return true, nil
		}
		if _, err := merge(r, again); err != nil {
			return false, err
		}
	}
	limits := search.Limits{Wall: f.opt.Limits.Wall, Memory: f.opt.Limits.Memory}
	task := found.task
	whole := task.Unsolvable || task.Trivial
	if whole { // grounding has decided the task and left nothing to look at: certify all of it
		var status search.Status
		var err error
		if task, status, err = f.ground(ctx, t.priced, tableGrounding(f.opt.Limits)); err != nil {
			r.Certificate = Attachment{Status: string(status)}
			return ctx.Err() == nil, nil
		}
	}
	cert, err := search.Certify(ctx, task, found.result, limits, nil)
	var limit *search.LimitError
	switch {
	case errors.As(err, &limit):
		r.Certificate = Attachment{Status: string(limit.Status)}
		return ctx.Err() == nil, nil
	case err != nil:
		return false, fmt.Errorf("cannot certify the answer: %w", err)
	}
	cert.Whole, cert.Domain, cert.Problem = whole, t.domainSum, t.problemSum
	path := filepath.Join(f.opt.Certificates, t.Key.String()+certExt)
	if err := writeWhole(path, func(w io.Writer) error { return certificate.WriteGzip(w, task, cert.Certificate) }); err != nil {
		return false, fmt.Errorf("cannot write the certificate: %w", err)
	}
	r.Certificate, err = f.store.attachment(path)
	return err == nil, err
}

// writeWhole writes a file by way of a temporary one beside it.
func writeWhole(path string, write func(io.Writer) error) (err error) {
	defer func() { // an error names the file to come, not the temporary one
		if p := (*os.PathError)(nil); errors.As(err, &p) {
			err = &os.PathError{Op: p.Op, Path: path, Err: p.Err}
		}
	}()
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(file.Name())
		}
	}()
	err = errors.Join(write(file), file.Chmod(0o644), file.Sync(), file.Close())
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// checkMemory bounds what checking one certificate may allocate.
const checkMemory = 8 << 30

// checkCertificate checks that the certificate of a row proves the row's claim about the
// row's task. It shares nothing with the search that made it.
func (c *checker) checkCertificate(ctx context.Context, t *Task, r *Record) error {
	file, err := os.Open(c.store.CertificatePath(r))
	if err != nil {
		return err
	}
	defer file.Close()
	rd, err := certificate.NewReader(file)
	if err != nil {
		return err
	}
	task, _, err := c.filler.ground(ctx, t.priced, grounder.Options{KeepIrrelevant: rd.Header.Whole})
	if err != nil {
		return err
	}
	cert, err := rd.Read(ctx, task, checkMemory)
	if err != nil {
		return err
	}
	if _, err := certificate.Check(ctx, task, cert, checkMemory); err != nil {
		return err
	}
	bound := task.PlanCost(cert.Bound).String()
	switch {
	case (cert.Claim == certificate.Unsolvable) != (r.Status == search.Unsolvable):
		return fmt.Errorf("it proves %s, the row says %s", cert.Claim, r.Status)
	case cert.Claim != certificate.Unsolvable && bound != r.Cost:
		return fmt.Errorf("it proves that no plan costs less than %s, the row says cost %s", bound, r.Cost)
	case cert.Domain != t.domainSum || cert.Problem != t.problemSum:
		return errors.New("it was made for other texts")
	}
	return nil
}
