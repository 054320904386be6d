const int64 = { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 };
const status = { type: 'string', enum: ['available', 'pending', 'sold'] };
const pet = {
  type: 'object',
  required: ['id', 'name', 'categoryId'],
  // `integer` serialises a BigInt exactly.
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    categoryId: { type: 'integer' },
    status,
  },
};

export const listPets = {
  querystring: {
    type: 'object',
    properties: {
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
      after: int64,
      status,
    },
  },
  response: { 200: { type: 'array', items: pet } },
};

export const createPet = {
  body: {
    type: 'object',
    required: ['name', 'categoryId'],
    properties: { name: { type: 'string', minLength: 1, maxLength: 255 }, categoryId: int64, status },
  },
  response: { 201: pet },
};

export const getPet = {
  params: { type: 'object', properties: { petId: int64 } },
  response: { 200: pet },
};
