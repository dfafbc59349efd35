import net, { type AddressInfo } from 'node:net'

// Shops that accept connections and never answer, in a separate process (see helpers.ts), one at each address of
// 127.0.0.0/8.

const server = net.createServer((socket) => {
  if (!socket.remoteAddress?.startsWith('127.')) socket.destroy()
  socket.on('error', () => {})
  socket.resume()
})

server.listen(0, '0.0.0.0', () => process.send!({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))
