package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	findPage         = "SELECT id, name, category_id, status FROM pets WHERE id > $1 ORDER BY id LIMIT $2"
	findPageByStatus = "SELECT id, name, category_id, status FROM pets WHERE status = $3 AND id > $1 ORDER BY id LIMIT $2"
	findOne          = "SELECT id, name, category_id, status FROM pets WHERE id = $1"
	insert           = "INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING id, name, category_id, status"
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

type listQuery struct {
	limit  int
	after  int64
	status string
}

// pgx closes the connection of a cancelled query, which costs more than to finish the query.
var uncancelled = context.Background()

type pets struct {
	pool *pgxpool.Pool
}

func (p *pets) list(w http.ResponseWriter, r *http.Request) {
	query, err := readListQuery(r.URL.Query())
	if err != nil {
		badRequest(w, err.Error())
		return
	}
	text, values := findPage, []any{query.after, query.limit + 1}
	if query.status != "" {
		text, values = findPageByStatus, append(values, query.status)
	}
	// AppendRows also returns the error of Query.
	rows, _ := p.pool.Query(uncancelled, text, values...)
	page, err := pgx.AppendRows(make([]pet, 0, query.limit+1), rows, func(row pgx.CollectableRow) (pet, error) {
		return toPet(row)
	})
	if err != nil {
		internal(w, err)
		return
	}
	if len(page) > query.limit {
		page = page[:query.limit]
		w.Header().Set("Link", nextLink(query, page[query.limit-1].ID))
	}
	answer(w, http.StatusOK, page)
}

func (p *pets) create(w http.ResponseWriter, r *http.Request) {
	var body newPet
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&body); err != nil {
		badRequest(w, err.Error())
		return
	}
	if err := body.validate(); err != nil {
		badRequest(w, err.Error())
		return
	}
	created, err := toPet(p.pool.QueryRow(uncancelled, insert, body.Name, body.CategoryID, body.Status))
	if err != nil {
		internal(w, err)
		return
	}
	w.Header().Set("Location", "/v1/pets/"+strconv.FormatInt(created.ID, 10))
	answer(w, http.StatusCreated, created)
}

func (p *pets) get(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		badRequest(w, "petId must be an integer")
		return
	}
	switch found, err := toPet(p.pool.QueryRow(uncancelled, findOne, id)); {
	case errors.Is(err, pgx.ErrNoRows):
		refuse(w, http.StatusNotFound, "not_found", "There is no such animal.")
	case err != nil:
		internal(w, err)
	default:
		answer(w, http.StatusOK, found)
	}
}

func toPet(row pgx.Row) (found pet, err error) {
	err = row.Scan(&found.ID, &found.Name, &found.CategoryID, &found.Status)
	return found, err
}

func readListQuery(values url.Values) (query listQuery, err error) {
	query = listQuery{limit: 20, status: values.Get("status")}
	if text := values.Get("limit"); text != "" {
		if query.limit, err = strconv.Atoi(text); err != nil || query.limit < 1 || query.limit > 100 {
			return query, errors.New("limit must be an integer from 1 to 100")
		}
	}
	if text := values.Get("after"); text != "" {
		if query.after, err = strconv.ParseInt(text, 10, 64); err != nil {
			return query, errors.New("after must be an integer")
		}
	}
	if query.status != "" && !isStatus(query.status) {
		return query, errors.New("status must be available, pending or sold")
	}
	return query, nil
}

func (body newPet) validate() error {
	switch {
	case body.Name == nil || *body.Name == "" || utf8.RuneCountInString(*body.Name) > 255:
		return errors.New("name must have 1 to 255 characters")
	case body.CategoryID == nil:
		return errors.New("categoryId is missing")
	case body.Status != nil && !isStatus(*body.Status):
		return errors.New("status must be available, pending or sold")
	}
	return nil
}

func isStatus(text string) bool {
	return text == "available" || text == "pending" || text == "sold"
}

func nextLink(query listQuery, after int64) string {
	status := ""
	if query.status != "" {
		status = "&status=" + query.status
	}
	return fmt.Sprintf(`</v1/pets?limit=%d%s&after=%d>; rel="next"`, query.limit, status, after)
}
