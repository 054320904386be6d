-- The requests of every workload, for wrk: wrk … -s requests.lua <url> -- <workload> <key> <rows> <seed>
local rows, seed
local sent = 0

local function get(path)
  return function() return wrk.format('GET', path()) end
end
local function position(room) return math.random(0, rows - room) end

local function create()
  local body = '{"name":"Rex","categoryId":' .. math.random(1, 50) .. ',"status":"available"}'
  return wrk.format('POST', '/v1/pets', nil, body)
end

local workloads = {
  page = get(function() return '/v1/pets?limit=20&after=' .. position(25) end),
  status = get(function() return '/v1/pets?limit=100&status=available&after=' .. position(1000) end),
  one = get(function() return '/v1/pets/' .. math.random(1, rows) end),
  deep = get(function() return '/v1/pets?limit=20&after=' .. (rows - 25 - math.random(0, 5000)) end),
  create = create,
  keyed = function()
    sent = sent + 1
    wrk.headers['Idempotency-Key'] = seed .. '-' .. sent
    return create()
  end,
}

function init(args)
  rows, seed = tonumber(args[3]), args[4]
  math.randomseed(tonumber(seed))
  wrk.headers['Authorization'] = 'Bearer ' .. args[2]
  if args[1] == 'create' or args[1] == 'keyed' then wrk.headers['Content-Type'] = 'application/json' end
  request = workloads[args[1]]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    'RESULT {"requests":%d,"microseconds":%d,"p99":%d,"refused":%d,"broken":%d}',
    summary.requests, summary.duration, latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout
  ))
end
