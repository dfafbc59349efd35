import { Anchor } from '@mantine/core'
import { parseToken } from '../../../shared/carts/link-tokens.ts'
import { retentionPageTexts } from '../../../shared/workspace/kept.ts'
import './shopper.css'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import type { Language } from '../../../shared/delivery/preferences.ts'
import { readPreferences, savePreferences } from '../../../shared/delivery/preferences.ts'
import { TEST_TOKEN } from '../../../shared/delivery/restore.ts'
import { call } from '../../core/api/api.ts'
import { shopperCopy } from './copy.ts'
import { LanguageChoice } from './LanguageChoice.tsx'
import type { Decision } from './PreferencesForm.tsx'
import { PreferencesForm } from './PreferencesForm.tsx'
import { chooseLanguage } from './rules.ts'
import { ShopperFailed } from './ShopperFailed.tsx'
import { ShopperPage } from './ShopperPage.tsx'

/** Shoppers choose what a shop may send them (decision 27, C5). Opening it changes nothing. */
export function PreferencesPage() {
  const token = parseToken(useSearchParams()[0].get('token') ?? '')
  const about = usePreferences(token)
  const save = useSavePreferences(token)
  const [chosen, setChosen] = useState<Language | null>(null)
  const language = chosen ?? about.data?.language ?? chooseLanguage(navigator.languages)
  const copy = shopperCopy[language]
  return (
    <ShopperPage
      title={copy.title}
      storeName={about.data?.storeName ?? null}
      brand={about.data?.brand ?? null}
      size={560}
      language={language}
    >
      {about.data ? (
        <PreferencesForm
          view={about.data}
          language={language}
          isSaving={save.isPending}
          error={save.error && (language === 'en' ? save.error.message : copy.failed)}
          onSave={(decision) => save.mutateAsync({ ...decision, language })}
        />
      ) : (
        <ShopperFailed
          token={token}
          title={copy.title}
          language={language}
          error={about.error}
          onRetry={about.refetch}
        />
      )}
      {about.data && (
        <Anchor
          href={`${about.data.keptPath}?lang=${language}`}
          fz="sm"
          mt="md"
          style={{ display: 'block', textAlign: 'center' }}
        >
          {retentionPageTexts[language].title}
        </Anchor>
      )}
      <LanguageChoice language={language} onChoose={setChosen} />
    </ShopperPage>
  )
}

const buildPreferencesKey = (token: string) => ['preferences', token]

const usePreferences = (token: string) =>
  useQuery({
    queryKey: buildPreferencesKey(token),
    queryFn: ({ signal }) => call(readPreferences, { params: { token }, signal, isAnonymous: true }),
    enabled: token !== '' && token !== TEST_TOKEN,
    refetchOnWindowFocus: false,
  })

function useSavePreferences(token: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: Decision & { language: Language }) =>
      call(savePreferences, { params: { token }, body, isAnonymous: true }),
    onSuccess: (view) => {
      queries.setQueryData(buildPreferencesKey(token), view)
      void queries.invalidateQueries({ queryKey: ['unsubscribe'] })
    },
  })
}
