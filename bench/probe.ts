import http from 'node:http'

// Asks one address every 20 ms over connections of its own, in a process of its own (see helpers.ts), each timed from the moment it
// should have left. Told an address it begins and says so; told none it ends and answers with what it has seen.

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
    // A late timer owes the questions it has missed.
    for (; due <= performance.now(); due += EVERY_MS) {
      const asked = ask(url, due)
      open.add(asked)
      void asked.finally(() => open.delete(asked))
    }
  }, EVERY_MS)
}

function ask(url: string, due: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      latencies.push(performance.now() - due)
      resolve()
    }
    const request = http.get(url, { agent }, (answer) => answer.resume().on('end', done))
    request.on('error', done)
  })
}
