// What other rooms use: embedded database.

export { startEmbedded } from './embedded.ts'
export { printLine, runCommand, withEmbedded } from './operator-command.ts'
