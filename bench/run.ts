import type { Bench } from './figures.ts'
import { createLab } from './lab.ts'

// Runs one benchmark in this process; main.ts starts it and collects its results.

const name = process.argv[2]!
const { bench } = (await import(`./${name}.bench.ts`)) as { bench: Bench }
const lab = createLab({
  serverUrl: process.env.BENCH_DATABASE_URL!,
  scale: Number(process.env.BENCH_SCALE),
  say: (sentence) => process.stdout.write(`  … ${sentence}\n`),
})
const figures = await bench.run(lab)
process.send?.(figures)
process.disconnect?.()
process.exitCode = 0
