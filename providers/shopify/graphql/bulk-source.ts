import type { Bulk } from '../model.ts'
import { buildGid, type Shop } from '../shop.ts'
import { formatTime, type Source } from './context.ts'

export const buildBulkSource = ({ home }: Shop, bulk: Bulk): Source => ({
  __typename: 'BulkOperation',
  id: buildGid('BulkOperation', bulk.id),
  status: bulk.status,
  errorCode: bulk.errorCode,
  type: 'QUERY',
  query: bulk.query,
  partialDataUrl: null,
  objectCount: String(bulk.objects),
  rootObjectCount: String(bulk.roots),
  fileSize: bulk.lines === null ? null : String(Buffer.byteLength(bulk.lines)),
  url: bulk.lines === null ? null : `${home}/bulk-operation-outputs/${bulk.id}.jsonl`,
  createdAt: formatTime(bulk.createdAt),
  completedAt: formatTime(bulk.completedAt),
})
