import os, uuid
from datetime import datetime, timezone
from api import AuthenticatedClient
from api.api.pets import create_pet, list_pets
from api.api.store import create_order, delete_order, get_order, update_order
from api.models import NewOrder, NewPet, OrderChange, PetStatus

store = AuthenticatedClient(os.environ["BASE"], os.environ["KEY"])
rex = create_pet.sync(client=store, body=NewPet("Rex", 7))
max = NewPet("Max", 2**53 + 1, PetStatus.AVAILABLE)
max = create_pet.sync(client=store, body=max, idempotency_key=str(uuid.uuid4()))
[big] = list_pets.sync(client=store, status=PetStatus.AVAILABLE, ids=[rex.id, max.id])
refused = list_pets.sync(client=store, ids=[1, 1])

body = NewOrder(rex.id, ship_date=datetime.now(timezone.utc))
order = create_order.sync(client=store, body=body)
changed = update_order.sync(order.id, client=store, body=OrderChange(2, complete=False))
delete_order.sync_detailed(order.id, client=store)
missing = get_order.sync(order.id, client=store)
order = create_order.sync(client=store, body=body)
sold = update_order.sync(order.id, client=store, body=OrderChange(complete=True))
print(big.category_id, refused.code, changed.quantity, missing.code, sold.complete)
