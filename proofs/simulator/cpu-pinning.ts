import { spawnSync } from 'node:child_process'

// A process and its database connections take turns: on one core, neither has to wake another core.

/** Without `taskset`, or without permission, the system chooses the core. */
export function pinToCore(core: string, pid: number): void {
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', core, String(pid)], { stdio: 'ignore' })
}
