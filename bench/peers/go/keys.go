package main

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const remembered = 2 * time.Second

const findKey = "SELECT expires_at FROM api_keys WHERE hash = $1 AND revoked_at IS NULL"

type hash [sha256.Size]byte

// A knownKey without an expiry is not valid.
type knownKey struct {
	until, expires time.Time
}

// knownKeys remembers keys by the hash of their token for two seconds, like the other peers.
type knownKeys struct {
	pool  *pgxpool.Pool
	mutex sync.Mutex
	known map[hash]knownKey
}

// require lets requests with a valid API key pass.
func (k *knownKeys) require(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") || token == "" {
			refuse(w, http.StatusUnauthorized, "invalid_api_key", "The API key is not valid.")
			return
		}
		switch valid, err := k.isValid(sha256.Sum256([]byte(token))); {
		case err != nil:
			internal(w, err)
		case !valid:
			refuse(w, http.StatusUnauthorized, "invalid_api_key", "The API key is not valid.")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func (k *knownKeys) isValid(of hash) (bool, error) {
	now := time.Now()
	k.mutex.Lock()
	key, ok := k.known[of]
	k.mutex.Unlock()
	if !ok || now.After(key.until) {
		key = knownKey{until: now.Add(remembered)}
		err := k.pool.QueryRow(uncancelled, findKey, of[:]).Scan(&key.expires)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return false, err
		}
		k.remember(of, key)
	}
	return key.expires.After(now), nil
}

func (k *knownKeys) remember(of hash, key knownKey) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if len(k.known) >= 10_000 {
		clear(k.known)
	}
	k.known[of] = key
}
