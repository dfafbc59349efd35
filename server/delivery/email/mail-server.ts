// An account's own mail server: stored settings and the results of its last sends.

export {
  type MailServerRow,
  noteFailure,
  noteSuccess,
  type Proof,
  readMailServer,
  readProofs,
  saveProof,
} from './mail-server-sql.ts'
