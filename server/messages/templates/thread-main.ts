import os from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { answerJob, type RenderJob } from './job.ts'
import { createTemplateRenderer } from './render.ts'

// The code of a rendering thread: answers one job after the other. It reaches no database, no network and no secret.

const { niceness } = workerData as { niceness: number }
// Linux counts priority by thread, and elsewhere this would slow the whole process down.
if (niceness > 0 && process.platform === 'linux') os.setPriority(Math.min(19, os.getPriority() + niceness))

const renderer = createTemplateRenderer()
parentPort!.on('message', ({ id, job }: { id: number; job: RenderJob }) => {
  parentPort!.postMessage({ id, answer: answerJob(renderer, job) })
})
parentPort!.postMessage('ready')
