// State of `npm run proofs`: the result of each part (proofs.json, committed), and the progress of an interrupted run.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

/** Whether one of these files belongs to the part's code. */
export const touchesPart = (part, files) =>
  files.some((file) =>
    part.code.some((pattern) => (pattern instanceof RegExp ? pattern.test(file) : file.startsWith(pattern))),
  )

/** `listChangesSince`: returns the files that differ from a commit; null if the commit is unknown. */
export function isDue(part, results, listChangesSince) {
  const last = results.find((row) => row.part === part.name)
  if (last?.result !== 'passed') return true
  const files = listChangesSince(last.commit)
  return files === null || touchesPart(part, files)
}

/** Files that differ from a commit, including the working tree; null: this clone does not have the commit. */
export function listChangesSince(commit) {
  const changed = spawnSync('git', ['diff', '--name-only', commit], { encoding: 'utf8' })
  if (changed.status !== 0) return null
  const added = spawnSync('git', ['ls-files', '--others', '--exclude-standard'], { encoding: 'utf8' })
  return `${changed.stdout}${added.stdout}`.split('\n').filter(Boolean)
}

/** A part counts as skipped if all its tests were skipped. */
export const toResult = ({ passed, failed, skipped }) =>
  failed > 0 ? 'failed' : skipped > 0 && passed === 0 ? 'skipped' : 'passed'

export function openResults(file) {
  const readAll = () => readJson(file, [])
  return {
    all: readAll,
    add(row) {
      const others = readAll().filter(({ part }) => part !== row.part)
      writeJson(
        file,
        [...others, row].sort((a, b) => (a.part < b.part ? -1 : 1)),
      )
    },
  }
}

/** Progress in an uncommitted file: finished parts of the last command, and the current step of the others. */
export function openProgress(file) {
  const read = () => readJson(file, { run: null, parts: {} })
  const write = (change) => writeJson(file, { ...read(), ...change })
  return {
    /** Returns the parts that the same interrupted command finished at this commit. */
    begin(proofs, commit) {
      const { run } = read()
      if (run?.asked === proofs && run.commit === commit) return run.ended
      write({ run: { asked: proofs, commit, ended: [] } })
      return []
    },
    stepOf: (name) => read().parts[name] ?? null,
    keepStep: (name, step) => write({ parts: { ...read().parts, [name]: step } }),
    endStep(name) {
      const { [name]: _, ...others } = read().parts
      write({ parts: others })
    },
    endPart(name) {
      this.endStep(name)
      const { run } = read()
      write({ run: { ...run, ended: [...run.ended, name] } })
    },
    end: () => write({ run: null }),
  }
}

export function readJson(file, fallback) {
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : fallback
}

/** Writes a second file and renames it, so that a killed run leaves no partial file. */
export function writeJson(file, value) {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`)
  fs.renameSync(`${file}.new`, file)
}
