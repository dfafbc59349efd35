// Users and members, for nouns that read or lock their rows.

export { lockUser, memberOf, userByEmail, userById } from './users-sql.ts'
