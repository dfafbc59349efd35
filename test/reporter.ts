import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, TestCase, TestModule, TestSpecification } from 'vitest/node'
import { endEarly } from './once-per-run.ts'

// Writes each result to the run's record at once, so that the record of a killed run has all passed tests. `scripts/record.mjs`
// reads it.

type Line =
  | { kind: 'files'; count: number }
  | { kind: 'start'; project: string; file: string }
  | { kind: 'test'; project: string; file: string; name: string; state: string; ms: number; errors?: string[] }
  | { kind: 'file'; project: string; file: string; ms: number; errors: string[] }
  | { kind: 'end'; reason: string; errors: string[] }

export default class RecordReporter implements Reporter {
  readonly #file = process.env.TEST_RECORD
  #journeysLeft = 0

  onTestRunStart(specifications: readonly TestSpecification[]) {
    this.#journeysLeft = specifications.filter(({ project }) => project.name === 'journeys').length
    this.#write({ kind: 'files', count: specifications.length })
  }

  onTestModuleStart(module: TestModule) {
    this.#write({ kind: 'start', ...buildPlace(module) })
  }

  onTestCaseResult(test: TestCase) {
    const { state, errors } = test.result()
    const ms = Math.round(test.diagnostic()?.duration ?? 0)
    const failed = errors && errors.length > 0 && { errors: errors.map(describeError) }
    this.#write({ kind: 'test', ...buildPlace(test.module), name: test.fullName, state, ms, ...failed })
  }

  onTestModuleEnd(module: TestModule) {
    const errors = [module, ...module.children.allSuites()].flatMap((each) => each.errors()).map(describeError)
    this.#write({ kind: 'file', ...buildPlace(module), ms: Math.round(readDuration(module)), errors })
    // Three app instances without a waiting test use a quarter of a core. Errors are reported when the run ends.
    if (module.project.name === 'journeys' && --this.#journeysLeft === 0) endEarly('instances').catch(() => {})
  }

  onTestRunEnd(_modules: readonly TestModule[], errors: readonly unknown[], reason: string) {
    this.#write({ kind: 'end', reason, errors: errors.map(describeError) })
  }

  #write(line: Line) {
    if (this.#file) appendFileSync(this.#file, `${JSON.stringify(line)}\n`)
  }
}

const buildPlace = ({ project, moduleId }: TestModule) => ({
  project: project.name,
  file: path.relative(process.cwd(), moduleId),
})

/** With loading and hooks: the time a run would save without this file. */
function readDuration(module: TestModule): number {
  const { duration, collectDuration, setupDuration, prepareDuration } = module.diagnostic()
  return duration + collectDuration + setupDuration + prepareDuration
}

const LONGEST_DIFF = 1_500

/** The message, where in our files it was thrown, and the difference between expected and actual. */
function describeError(error: unknown): string {
  const {
    name,
    message,
    stack,
    stacks,
    diff,
    VITEST_TEST_NAME: test,
    VITEST_TEST_PATH: file,
  } = error as Record<string, unknown>
  const first = (stacks as { file: string; line: number }[] | undefined)?.[0]
  const at = first
    ? `${path.relative(process.cwd(), first.file)}:${first.line}`
    : /\(?(\/[^\s)]+:\d+):\d+/.exec(String(stack))?.[1]
  const during = test ? ` (during “${test}”${file ? ` in ${path.relative(process.cwd(), String(file))}` : ''})` : ''
  const difference = typeof diff === 'string' ? `\n${stripVTControlCharacters(diff).slice(0, LONGEST_DIFF)}` : ''
  return `${name ?? 'Error'}: ${message ?? String(error)}${at ? `\n    at ${at}` : ''}${during}${difference}`
}
