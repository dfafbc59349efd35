import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import type { BrowserSubscription, PushPrompt, PushSettings } from '../../../shared/delivery/push.ts'
import * as api from '../../../shared/delivery/push-calls.ts'
import { useStore } from '../../core/access/queries.ts'
import { call, readPage } from '../../core/api/api.ts'
import { buildStoreFields } from '../../core/session/session.ts'

export type PushSetup = z.output<typeof api.readPushSetup.reply>

/** How long an answer of the live check stays fresh. */
const CHECK_EVERY_MS = 15_000

const buildSetupQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['store', storeId, 'push', 'setup'],
    queryFn: ({ signal }): Promise<PushSetup> => call(api.readPushSetup, { query: { storeId }, signal }),
    refetchInterval: CHECK_EVERY_MS,
  })

export const usePushSetup = (storeId: string) => useQuery(buildSetupQuery(storeId))

/** null: no store is connected, so nothing is fetched. */
export const usePushStats = (storeId: string | null) =>
  useQuery({
    enabled: storeId !== null,
    queryKey: ['store', storeId, 'push', 'stats'],
    queryFn: ({ signal }) =>
      call(api.pushStoreStats, { query: { storeId: storeId!, storeUrl: buildStoreFields().storeId }, signal }),
    placeholderData: keepPreviousData,
  })

/** sw.js as copied into the shop: identical for all stores. */
export const useWorkerText = () =>
  useQuery({
    queryKey: ['push-worker'],
    queryFn: ({ signal }) => readPage('/push/sw.js', signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

interface OfStore {
  storeUrl: string
}

export type Replace = 'moving' | 'leaked'

export const useGenerateKeys = () =>
  useChange(({ storeUrl, replace }: OfStore & { replace?: Replace }, storeId) =>
    call(api.generateVapidKeys, {
      query: { storeId },
      body: { storeUrl, platform: buildStoreFields().platform, ...(replace && { replace }) },
    }),
  )

export const useSavePush = () =>
  useChange(({ storeUrl, settings }: OfStore & { settings: PushSettings }, storeId) =>
    call(api.savePushSettings, { query: { storeId }, body: { storeUrl, settings } }),
  )

export const useSavePrompt = () =>
  useChange(({ storeUrl, prompt }: OfStore & { prompt: PushPrompt }, storeId) =>
    call(api.savePushPrompt, { query: { storeId }, body: { storeUrl, prompt } }),
  )

export interface TestContent extends OfStore {
  title: string
  body: string
  cartUrl: string
  icon: string
}

export const useSendToAll = () =>
  useChange((body: TestContent, storeId) => call(api.sendStoreNotification, { query: { storeId }, body }))

export const useSendHere = () =>
  useChange((body: TestContent & { subscription: BrowserSubscription }, storeId) =>
    call(api.sendToThisBrowser, { query: { storeId }, body }),
  )

/** Refetches all web push data; a failed request may have changed something too. */
function useChange<Input, Output>(change: (input: Input, storeId: string) => Promise<Output>) {
  const queries = useQueryClient()
  const storeId = useStore()?.id ?? ''
  return useMutation({
    mutationFn: (input: Input) => change(input, storeId),
    onSettled: () => queries.invalidateQueries({ queryKey: ['store', storeId, 'push'] }),
  })
}
