import { parentPort } from 'node:worker_threads'
import { type RenderJob, runJob } from '../server/messages/templates/job.ts'
import { createTemplateRenderer } from '../server/messages/templates/render.ts'

// A rendering thread that a template can hang (SPIN), fill (HOARD) or crash (CRASH), as a bug in a library could.

const renderer = createTemplateRenderer()
parentPort!.on('message', ({ id, job }: { id: number; job: RenderJob }) => {
  const body = JSON.stringify(job)
  if (body.includes('SPIN')) for (;;);
  const hoard: number[][] = []
  while (body.includes('HOARD')) hoard.push(Array.from({ length: 100_000 }, (_, n) => n))
  if (body.includes('CRASH')) process.exit(1)
  parentPort!.postMessage({ id, answer: runJob(renderer, job) })
})
parentPort!.postMessage('ready')
