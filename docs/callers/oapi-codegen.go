package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"
)

func main() {
	ctx, now, status, yes, no, two := context.Background(), time.Now(), PetStatus("available"), true, false, int32(2)
	store, _ := NewClientWithResponses(os.Getenv("BASE"), WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))
			return nil
		}))
	once := now.Format(time.RFC3339Nano)
	rex, _ := store.CreatePetWithResponse(ctx, nil, NewPet{Name: "Rex", CategoryId: 7})
	max := NewPet{Name: "Max", CategoryId: 1<<53 + 1, Status: &status}
	pet, _ := store.CreatePetWithResponse(ctx, &CreatePetParams{IdempotencyKey: &once}, max)
	ids := []int64{rex.JSON201.Id, pet.JSON201.Id}
	list, _ := store.ListPetsWithResponse(ctx, &ListPetsParams{Status: &status, Ids: &ids})
	refused, _ := store.ListPetsWithResponse(ctx, &ListPetsParams{Ids: &[]int64{1, 1}})

	order := func() int64 {
		made, _ := store.CreateOrderWithResponse(ctx, nil, NewOrder{PetId: ids[0], ShipDate: &now})
		return made.JSON201.Id
	}
	id := order()
	changed, _ := store.UpdateOrderWithResponse(ctx, id, nil, OrderChange{Quantity: &two, Complete: &no})
	store.DeleteOrder(ctx, id, nil)
	missing, _ := store.GetOrderWithResponse(ctx, id)
	sold, _ := store.UpdateOrderWithResponse(ctx, order(), nil, OrderChange{Complete: &yes})
	fmt.Println((*list.JSON200)[0].CategoryId, refused.JSON400.Code, changed.JSON200.Quantity, missing.JSON404.Code, sold.JSON200.Complete)
}
