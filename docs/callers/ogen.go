package main

import (
	"caller/api"
	"context"
	"fmt"
	"os"
	"time"
)

type key struct{}

func (key) ApiKey(context.Context, api.OperationName) (api.ApiKey, error) {
	return api.ApiKey{Token: os.Getenv("KEY")}, nil
}

func main() {
	ctx, now, status := context.Background(), time.Now(), api.NewOptPetStatus("available")
	store, _ := api.NewClient(os.Getenv("BASE"), key{})
	once := api.CreatePetParams{IdempotencyKey: api.NewOptString(now.Format(time.RFC3339Nano))}
	rex, _ := store.CreatePet(ctx, &api.NewPet{Name: "Rex", CategoryId: 7}, api.CreatePetParams{})
	max, _ := store.CreatePet(ctx, &api.NewPet{Name: "Max", CategoryId: 1<<53 + 1, Status: status}, once)
	ids := []int64{rex.(*api.PetHeaders).Response.ID, max.(*api.PetHeaders).Response.ID}
	list, _ := store.ListPets(ctx, api.ListPetsParams{Status: status, Ids: ids})
	refused, _ := store.ListPets(ctx, api.ListPetsParams{Ids: []int64{1, 1}})

	order := func() int64 {
		body := api.NewOrder{PetId: ids[0], ShipDate: api.NewOptDateTime(now)}
		made, _ := store.CreateOrder(ctx, &body, api.CreateOrderParams{})
		return made.(*api.OrderHeaders).Response.ID
	}
	change := func(id int64, change api.OrderChange) api.Order {
		changed, _ := store.UpdateOrder(ctx, &change, api.UpdateOrderParams{OrderId: id})
		return changed.(*api.UpdateOrderOKHeaders).Response
	}
	id := order()
	changed := change(id, api.OrderChange{Quantity: api.NewOptInt32(2), Complete: api.NewOptBool(false)})
	store.DeleteOrder(ctx, api.DeleteOrderParams{OrderId: id})
	missing, _ := store.GetOrder(ctx, api.GetOrderParams{OrderId: id})
	sold := change(order(), api.OrderChange{Complete: api.NewOptBool(true)})
	fmt.Println(list.(*api.PetsHeaders).Response[0].CategoryId, refused.(*api.BadRequestHeaders).Response.Code, changed.Quantity,
		missing.(*api.NotFoundHeaders).Response.Code, sold.Complete)
}
