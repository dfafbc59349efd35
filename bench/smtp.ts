import net from 'node:net'

// An SMTP server that accepts everything, for separate processes (see helpers.ts). Uses bare sockets to cost as little
// as possible.

/** `onMail`: called with the last recipient and the size of each complete email, before the response. */
export function acceptMail(onMail: (recipient: string, bytes: number) => void, onConnection: () => void = () => {}) {
  const server = net.createServer((socket) => {
    socket.setNoDelay(true)
    onConnection()
    let isData = false
    let recipient = ''
    let bytes = 0
    let rest: Buffer = Buffer.alloc(0)
    const say = (line: string) => socket.write(`${line}\r\n`)
    say('220 sink')
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      for (;;) {
        const end = rest.indexOf(isData ? '\r\n.\r\n' : '\r\n')
        if (end < 0) {
          if (!isData) return
          // Only the last four bytes can begin the end marker.
          bytes += Math.max(0, rest.length - 4)
          rest = rest.subarray(Math.max(0, rest.length - 4))
          return
        }
        if (isData) {
          onMail(recipient, bytes + end)
          rest = rest.subarray(end + 5)
          bytes = 0
          isData = false
          say('250 2.0.0 queued')
          continue
        }
        const verb = rest.toString('latin1', 0, Math.min(end, 4)).toUpperCase()
        if (verb === 'RCPT') recipient = rest.toString('latin1', rest.indexOf('<') + 1, rest.indexOf('>'))
        rest = rest.subarray(end + 2)
        if (verb === 'EHLO') say('250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SIZE 20000000')
        else if (verb === 'DATA') {
          isData = true
          say('354 go on')
        } else if (verb === 'QUIT') socket.end('221 bye\r\n')
        else say('250 OK')
      }
    })
  })
  server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as net.AddressInfo).port }))
  process.on('disconnect', () => process.exit(0))
}
