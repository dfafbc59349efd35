import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

// Shops without orders in a separate process (see helpers.ts), one at each path. Every requested product is for sale.
// Shops whose path begins with `slow` answer after ten seconds.

const server = http.createServer(async (request, reply) => {
  if (request.url!.startsWith('/slow')) await sleep(10_000)
  const rows = buildProducts(new URL(request.url!, 'http://shop'))
  const pages = rows.length > 0 ? '1' : '0'
  reply.writeHead(200, {
    'content-type': 'application/json',
    'x-wp-total': String(rows.length),
    'x-wp-totalpages': pages,
  })
  reply.end(JSON.stringify(rows))
})

function buildProducts({ pathname, searchParams }: URL): object[] {
  if (!pathname.endsWith('/products')) return []
  const ids = (searchParams.get('include') ?? '').split(',').filter(Boolean)
  const terms = { price: '12.00', status: 'publish', purchasable: true, stock_status: 'instock', stock_quantity: null }
  return ids.map((id) => ({ id: Number(id), ...terms }))
}

server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))
