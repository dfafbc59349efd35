import type { ApiKey } from './woocommerce-gate.ts'

export const OWNER: ApiKey = {
  consumerKey: 'ck_owner0001',
  consumerSecret: 'cs_owner0001',
  permissions: 'read_write',
  mayManage: true,
}
export const READER: ApiKey = {
  consumerKey: 'ck_reader002',
  consumerSecret: 'cs_reader002',
  permissions: 'read',
  mayManage: true,
}
export const WRITER: ApiKey = {
  consumerKey: 'ck_writer003',
  consumerSecret: 'cs_writer003',
  permissions: 'write',
  mayManage: true,
}
export const SHOPPER: ApiKey = {
  consumerKey: 'ck_shopper04',
  consumerSecret: 'cs_shopper04',
  permissions: 'read_write',
  mayManage: false,
}
export const KEYS = [OWNER, READER, WRITER, SHOPPER]
