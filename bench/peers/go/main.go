// For speed in Go: net/http, pgx, a pool, prepared statements, typed JSON.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	columns        = "id, name, category_id, status"
	findKey        = "SELECT expires_at FROM api_keys WHERE hash = $1 AND revoked_at IS NULL"
	page           = "SELECT " + columns + " FROM pets WHERE id > $1 ORDER BY id LIMIT $2"
	pageByStatus   = "SELECT " + columns + " FROM pets WHERE status = $3 AND id > $1 ORDER BY id LIMIT $2"
	one            = "SELECT " + columns + " FROM pets WHERE id = $1"
	insert         = "INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING " + columns
	rememberedKeys = 2 * time.Second
)

type pet struct {
	ID         int64   `json:"id"`
	Name       string  `json:"name"`
	CategoryID int64   `json:"categoryId"`
	Status     *string `json:"status,omitempty"`
}

// The pointers tell a missing field from a zero.
type newPet struct {
	Name       *string `json:"name"`
	CategoryID *int64  `json:"categoryId"`
	Status     *string `json:"status"`
}

// A known key without an expiry is not valid.
type knownKey struct{ until, expires time.Time }

type service struct {
	pool  *pgxpool.Pool
	known sync.Map // by hash
}

// pgx closes the connection of a cancelled query, which costs more than to finish the query.
var uncancelled = context.Background()

func main() {
	pool, err := pgxpool.New(uncancelled, os.Getenv("DATABASE_URL")+"?pool_max_conns=10")
	if err != nil {
		log.Fatal(err)
	}
	s := &service{pool: pool}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /v1/pets", s.list)
	routes.HandleFunc("POST /v1/pets", s.create)
	routes.HandleFunc("GET /v1/pets/{id}", s.get)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), s.requireKey(routes)))
}

func (s *service) requireKey(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") || !s.isValid(sha256.Sum256([]byte(token))) {
			refuse(w, http.StatusUnauthorized, "The API key is not valid.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// As in the service: a look-up is believed for two seconds.
func (s *service) isValid(hash [sha256.Size]byte) bool {
	now := time.Now()
	known, _ := s.known.Load(hash)
	key, _ := known.(knownKey)
	if now.After(key.until) {
		key = knownKey{until: now.Add(rememberedKeys)}
		err := s.pool.QueryRow(uncancelled, findKey, hash[:]).Scan(&key.expires)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return false
		}
		s.known.Store(hash, key)
	}
	return key.expires.After(now)
}

func (s *service) list(w http.ResponseWriter, r *http.Request) {
	values := r.URL.Query()
	limit, badLimit := intOf(values, "limit", 20)
	after, badAfter := intOf(values, "after", 0)
	status := values.Get("status")
	if badLimit != nil || badAfter != nil || limit < 1 || limit > 100 || (status != "" && !isStatus(status)) {
		refuse(w, http.StatusBadRequest, "A parameter is not valid.")
		return
	}
	text, arguments, filter := page, []any{after, limit + 1}, ""
	if status != "" {
		text, arguments, filter = pageByStatus, append(arguments, status), "&status="+status
	}
	rows, _ := s.pool.Query(uncancelled, text, arguments...) // AppendRows returns the error, too
	pets, err := pgx.AppendRows(make([]pet, 0, limit+1), rows, func(row pgx.CollectableRow) (pet, error) {
		return toPet(row)
	})
	if int64(len(pets)) > limit {
		pets = pets[:limit]
		w.Header().Set("Link", fmt.Sprintf(`</v1/pets?limit=%d%s&after=%d>; rel="next"`, limit, filter, pets[limit-1].ID))
	}
	answer(w, http.StatusOK, pets, err)
}

func (s *service) create(w http.ResponseWriter, r *http.Request) {
	var body newPet
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&body)
	if err != nil || body.Name == nil || *body.Name == "" || utf8.RuneCountInString(*body.Name) > 255 ||
		body.CategoryID == nil || (body.Status != nil && !isStatus(*body.Status)) {
		refuse(w, http.StatusBadRequest, "The body is not valid.")
		return
	}
	created, err := toPet(s.pool.QueryRow(uncancelled, insert, body.Name, body.CategoryID, body.Status))
	w.Header().Set("Location", "/v1/pets/"+strconv.FormatInt(created.ID, 10))
	answer(w, http.StatusCreated, created, err)
}

func (s *service) get(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	found := pet{}
	if err == nil {
		found, err = toPet(s.pool.QueryRow(uncancelled, one, id))
	}
	if errors.Is(err, strconv.ErrSyntax) || errors.Is(err, pgx.ErrNoRows) {
		refuse(w, http.StatusNotFound, "There is no such animal.")
		return
	}
	answer(w, http.StatusOK, found, err)
}

func toPet(row pgx.Row) (found pet, err error) {
	err = row.Scan(&found.ID, &found.Name, &found.CategoryID, &found.Status)
	return found, err
}

func intOf(values url.Values, name string, missing int64) (int64, error) {
	if text := values.Get(name); text != "" {
		return strconv.ParseInt(text, 10, 64)
	}
	return missing, nil
}

func isStatus(text string) bool { return text == "available" || text == "pending" || text == "sold" }

func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]any{"message": message, "status": status}, nil)
}

func answer(w http.ResponseWriter, status int, value any, err error) {
	if err != nil {
		log.Print(err)
		refuse(w, http.StatusInternalServerError, "The request failed.")
		return
	}
	body, _ := json.Marshal(value)
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}
