// What other rooms use.

export {
  type Config,
  ensureAppSecret,
  hasMailbox,
  loadConfig,
  type MailConfig,
  portSettings,
  storeAppSecret,
} from './config.ts'
export { allowTraversal, canEnter, findPrivateFolder, hashOfFolder, type Owner, openDataDir } from './data-dir.ts'
export { acquireInstanceLock, InstanceRunning } from './instance-lock.ts'
export { explainStartupError, StartupError } from './startup-errors.ts'
export { VERSION } from './version.ts'
