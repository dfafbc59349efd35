// Users and members, for other rooms that read or lock their rows.

export { findMember, findUserByEmail, findUserById, findViewer, listOwners, lockUser } from './users-sql.ts'
