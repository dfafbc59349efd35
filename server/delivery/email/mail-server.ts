// An account’s own mail server: what is stored of it, and how its last sends went.

export {
  type MailServerRow,
  noteFailure,
  noteSuccess,
  type Proof,
  readMailServer,
  readProofs,
  saveProof,
} from './mail-server-sql.ts'
