package main

import (
	"encoding/json"
	"log"
	"net/http"
	"strconv"
)

type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Status  int    `json:"status"`
}

func answer(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	answer(w, status, failure{code, message, status})
}

func badRequest(w http.ResponseWriter, message string) {
	refuse(w, http.StatusBadRequest, "bad_request", message)
}

func internal(w http.ResponseWriter, err error) {
	log.Print(err)
	refuse(w, http.StatusInternalServerError, "internal", "The request failed.")
}
