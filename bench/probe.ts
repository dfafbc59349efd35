import http from 'node:http'

// Requests one address every 20 ms over its own connections from a separate process (see helpers.ts), each timed from
// its scheduled start. A message with an address starts it; one without ends it and returns the latencies.

const EVERY_MS = 20

let latencies: number[] = []
let timer: NodeJS.Timeout | null = null
const open = new Set<Promise<void>>()
const agent = new http.Agent({ keepAlive: true })

process.on('message', async ({ url }: { url?: string }) => {
  if (timer) clearInterval(timer)
  timer = null
  await Promise.all(open)
  if (!url) return process.send!({ latencies })
  latencies = []
  begin(url)
  process.send!({})
})
process.on('disconnect', () => process.exit(0))
process.send!({ port: 0 })

function begin(url: string): void {
  let due = performance.now()
  timer = setInterval(() => {
    // A late timer also sends the requests it has missed.
    for (; due <= performance.now(); due += EVERY_MS) {
      const pending = ask(url, due)
      open.add(pending)
      void pending.finally(() => open.delete(pending))
    }
  }, EVERY_MS)
}

function ask(url: string, due: number): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      latencies.push(performance.now() - due)
      resolve()
    }
    const request = http.get(url, { agent }, (answer) => answer.resume().on('end', finish))
    request.on('error', finish)
  })
}
