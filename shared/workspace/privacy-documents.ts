import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'

// Data protection documents for owners, filled in from the settings of instance and store.

export const documentNames = ['processing-agreement', 'record-of-processing', 'sub-processors'] as const
export type DocumentName = (typeof documentNames)[number]

export const documentTitles: Readonly<Record<DocumentName, string>> = {
  'processing-agreement': 'Data processing agreement',
  'record-of-processing': 'Record of processing activities',
  'sub-processors': 'List of sub-processors',
}

export const readPrivacyDocument = endpoint({
  method: 'GET',
  path: '/api/privacy-documents/:name',
  permission: 'privacy:write',
  scope: 'store',
  summary:
    'The data processing agreement, the record of processing activities, or the list of sub-processors, as Markdown, filled in for this store',
  query: storeQuery,
  params: z.object({ name: z.string().max(40) }),
  reply: z.object({ fileName: z.string(), content: z.string() }),
})
