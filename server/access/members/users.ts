// Users and members, for other rooms that read or lock their rows.

export { lockUser, memberOf, ownersOf, userByEmail, userById, viewerOf } from './users-sql.ts'
