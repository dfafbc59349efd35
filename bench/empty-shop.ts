import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

// Shops without orders, in a process of its own (see helpers.ts): http://…/<any path> is one. Those whose path begins with `slow`
// take ten seconds for every answer.

const server = http.createServer(async (request, reply) => {
  if (request.url!.startsWith('/slow')) await sleep(10_000)
  reply.writeHead(200, { 'content-type': 'application/json', 'x-wp-total': '0', 'x-wp-totalpages': '0' })
  reply.end('[]')
})

server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))
