// What an engineer who wants speed writes in Go: net/http, pgx, a pool, prepared statements, typed JSON.
package main

import (
	"context"
	"log"
	"net/http"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"
)

func main() {
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	config.MaxConns = 10
	// The pool prepares each statement once per connection.
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		log.Fatal(err)
	}
	pets := &pets{pool}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /v1/pets", pets.list)
	routes.HandleFunc("POST /v1/pets", pets.create)
	routes.HandleFunc("GET /v1/pets/{id}", pets.get)
	keys := &knownKeys{pool: pool, known: map[hash]knownKey{}}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), keys.require(routes)))
}
