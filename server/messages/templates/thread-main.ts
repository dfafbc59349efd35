import os from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { type RenderJob, runJob } from './job.ts'
import { createTemplateRenderer } from './render.ts'

// Code of a rendering thread: processes one job after the other. It has no database, network or secret.

const { niceness } = workerData as { niceness: number }
// Linux sets priority per thread; elsewhere this would slow down the whole process.
if (niceness > 0 && process.platform === 'linux') os.setPriority(Math.min(19, os.getPriority() + niceness))

const renderer = createTemplateRenderer()
parentPort!.on('message', ({ id, job }: { id: number; job: RenderJob }) => {
  parentPort!.postMessage({ id, answer: runJob(renderer, job) })
})
parentPort!.postMessage('ready')
