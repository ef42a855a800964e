package store

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
)

// maxText bounds a stored text: what a damaged file claims to hold is not believed.
const maxText = 1 << 32

func deflate(text string) ([]byte, error) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(w, text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// inflate undoes deflate and checks the digest.
func inflate(body []byte, sum [sha256.Size]byte) (string, error) {
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(body)), maxText))
	if err != nil || sha256.Sum256(text) != sum {
		return "", fmt.Errorf("%w: the text %x is not what was stored", ErrDamaged, sum[:8])
	}
	return string(text), nil
}

// text reads a text by its digest.
func (s *Store) text(sum [sha256.Size]byte) (string, error) {
	var body []byte
	err := s.db.QueryRow("SELECT body FROM text WHERE sum = ?", sum[:]).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("%s: %w: the text %x is missing", s.path, ErrDamaged, sum[:8])
	}
	if err != nil {
		return "", s.explain(err)
	}
	text, err := inflate(body, sum)
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.path, err)
	}
	return text, nil
}

// Texts reads the canonical domain and problem of a row.
func (s *Store) Texts(r *Record) (domain, problem string, err error) {
	if domain, err = s.text(r.domainSum); err == nil {
		problem, err = s.text(r.problemSum)
	}
	return domain, problem, err
}

func putText(tx *sql.Tx, sum [sha256.Size]byte, text string) error {
	var one int
	err := tx.QueryRow("SELECT 1 FROM text WHERE sum = ?", sum[:]).Scan(&one)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	body, err := deflate(text)
	if err != nil {
		return err
	}
	_, err = tx.Exec("INSERT INTO text (sum, body) VALUES (?, ?)", sum[:], body)
	return err
}
