import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type CampaignView, campaignTexts, deleteCampaign } from '../../../shared/marketing/campaigns.ts'
import { call, getErrorText } from '../../core/api/api.ts'
import { deletions } from '../../core/api/deletions.ts'
import { buildStoreFields } from '../../core/session/session.ts'
import { announce } from '../../core/ui/announce.ts'
import type { ActionResult } from './actions.tsx'

// Campaigns deleted with the offer to undo, which the banner above the list shows (B 2).

/** The last deletion; a list opened in time offers to undo it. */
let lastId = ''
/** The list on screen; elsewhere a failure is a toast. */
let report: ((result: ActionResult) => void) | null = null

export const buildDeletedResult = (deletedId: string): ActionResult => ({
  tone: 'good',
  text: campaignTexts.deleted,
  deletedId,
})

export const findDeletedResult = (): ActionResult | null =>
  deletions.isUndoable(lastId) ? buildDeletedResult(lastId) : null

export function useDeleteReport(onResult: (result: ActionResult) => void): void {
  useEffect(() => {
    report = onResult
    return () => {
      report = null
    }
  }, [onResult])
}

export function useDeleteLater() {
  const queries = useQueryClient()
  return ({ id }: CampaignView) => {
    // The store shown may change before the request is sent.
    const query = buildStoreFields()
    const refresh = () => void queries.invalidateQueries({ queryKey: ['campaigns'] })
    lastId = id
    deletions.start({
      id,
      send: async ({ keepalive }) => {
        await call(deleteCampaign, { params: { id }, query, keepalive })
        refresh()
      },
      onFailed: (error) => {
        const text = getErrorText(error, campaignTexts.notDeleted)
        if (report) report({ tone: 'bad', text })
        else announce(text, 'bad')
        refresh()
      },
    })
  }
}
