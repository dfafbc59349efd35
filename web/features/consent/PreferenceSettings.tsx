import './ledger.css'
import { Anchor, Card, NativeSelect, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import {
  defaultWordings,
  type Language,
  languages,
  type OwnWording,
  type WordingField,
  wordingFields,
  wordingLengths,
} from '../../../shared/delivery/preferences.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { useHasPermission, useStore } from '../../core/access/queries.ts'
import { announce } from '../../core/ui/announce.ts'
import { Facts } from '../../core/ui/Facts.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingCards } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { NotSaved } from '../../core/ui/NotSaved.tsx'
import { SaveBar } from '../../core/ui/SaveBar.tsx'

import '../restore/shopper.css'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ShopBrand } from '../../../shared/carts/shop-brand.ts'
import {
  fillWording,
  type PreferencesView,
  readPreferenceWording,
  savePreferenceWording,
} from '../../../shared/delivery/preferences.ts'
import { call } from '../../core/api/api.ts'
import { h } from '../restore/dom.ts'
import { buildShop } from '../restore/page.ts'
import { buildPreferencesForm, NO_CHOICE } from '../restore/preferences-form.ts'
import { useShopStyle } from '../restore/use-shop-look.ts'

/** Texts and sender of the page where shoppers choose what they receive. */
export function PreferenceSettings() {
  const wording = useWording()
  if (wording.isPending) return <LoadingCards count={2} rows={5} />
  if (wording.error && !wording.data) {
    return <Failed title="The texts could not be loaded" error={wording.error} onRetry={() => wording.refetch()} />
  }
  return (
    <>
      <WordingForm saved={wording.data} onReload={() => wording.refetch()} />
      <SenderIdentity />
    </>
  )
}

type Saved = NonNullable<ReturnType<typeof useWording>['data']>
type Wordings = Record<Language, OwnWording>

const fieldNames: Record<WordingField, string> = {
  headline: 'Headline',
  intro: 'Introduction',
  email: 'About email',
  sms: 'About SMS',
  whatsapp: 'About WhatsApp',
}
/** Nobody who knows the law of the language's countries has read its default texts. */
const isDraft = (language: Language) => language !== 'en' && language !== 'de'

const languageNames: Record<Language, string> = {
  en: 'English',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
  it: 'Italian',
  nl: 'Dutch',
  pt: 'Portuguese',
  pl: 'Polish',
}

function WordingForm({ saved, onReload }: { saved: Saved; onReload: () => Promise<unknown> }) {
  const [language, setLanguage] = useState<Language>('en')
  const [typed, setTyped] = useState<Wordings | null>(null)
  const storeId = useStore()?.id ?? ''
  const save = useSaveWording()
  const isFixed = !useHasPermission('flows:switch')
  const wordings = typed ?? saved.wordings
  const isDirty = typed !== null && JSON.stringify(typed) !== JSON.stringify(saved.wordings)
  useDraft(`preference-wording:${storeId}`, isDirty ? typed : null, setTyped)
  const set = (field: WordingField, text: string) =>
    setTyped({ ...wordings, [language]: { ...wordings[language], [field]: text === '' ? null : text } })
  const submit = () =>
    save.mutate(
      { wordings, version: saved.version },
      {
        onSuccess: () => {
          setTyped(null)
          announce('Text saved')
        },
        // Another member's save becomes the new baseline; local edits stay.
        onError: () => void onReload(),
      },
    )
  const discard = () => {
    save.reset()
    setTyped(null)
  }
  return (
    <Card>
      <Title order={2}>Preference page</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Every email links to a page where people manage their preferences. This is its text. Leave a field empty for the
        default text; {'{store}'} becomes your store’s name.
      </Text>
      <Stack gap="md">
        {isFixed && <Notice tone="info">Only the owner or an admin of the account can change these.</Notice>}
        <NativeSelect
          label="Language"
          value={language}
          onChange={({ currentTarget }) => setLanguage(currentTarget.value as Language)}
          data={languages.map((value) => ({ value, label: languageNames[value] }))}
        />
        {isDraft(language) && (
          <Notice tone="info">
            The {languageNames[language]} default texts are a draft: shoppers agree to messages by them. Have them read
            by someone who knows the language and the law, or write your own.
          </Notice>
        )}
        {wordingFields.map((field) => (
          <Field
            key={field}
            field={field}
            language={language}
            text={wordings[language][field]}
            isFixed={isFixed}
            onChange={(text) => set(field, text)}
          />
        ))}
        <PreferencePreview storeName={saved.storeName} brand={saved.brand} own={wordings} language={language} />
      </Stack>
      <SaveBar
        isDirty={isDirty}
        isSaving={save.isPending}
        isDisabled={isFixed}
        problem={save.error && <NotSaved>{save.error.message} Your text is still here.</NotSaved>}
        onSave={submit}
        onDiscard={discard}
      />
    </Card>
  )
}

interface FieldProps {
  field: WordingField
  language: Language
  text: string | null
  isFixed: boolean
  onChange: (text: string) => void
}

function Field({ field, language, text, isFixed, onChange }: FieldProps) {
  const props = {
    label: fieldNames[field],
    lang: language,
    placeholder: defaultWordings[language][field],
    value: text ?? '',
    maxLength: wordingLengths[field],
    disabled: isFixed,
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => onChange(value),
    description: text !== null && !isFixed && (
      <Anchor component="button" type="button" fz="xs" onClick={() => onChange('')}>
        Back to the default text
      </Anchor>
    ),
    inputWrapperOrder: ['label' as const, 'input' as const, 'description' as const, 'error' as const],
  }
  return field === 'headline' ? <TextInput {...props} /> : <Textarea autosize minRows={2} {...props} />
}

/** There is one sender per store, changed in one place. */
function SenderIdentity() {
  const store = useStore()
  if (!store) return null
  const { senderName, senderEmail, postalAddress, name } = store
  return (
    <Card component="section" aria-label="Sender">
      <Title order={2}>Sender</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        {name} has its own sender. Every marketing email has to name it by law, with a postal address.
      </Text>
      <Facts
        entries={[
          ['Name', senderName || 'Not set yet'],
          ['Replies go to', senderEmail || 'This server’s own address'],
          [
            'Postal address',
            <span key="address" style={{ whiteSpace: 'pre-line' }}>
              {postalAddress || 'Not set yet'}
            </span>,
          ],
        ]}
      />
      {(!senderName || !postalAddress) && (
        <Notice tone="warn">Flows cannot be switched on without a name and a postal address.</Notice>
      )}
      <Anchor component={Link} to="/settings/sending/sender" fz="sm" mt="sm" style={{ display: 'inline-block' }}>
        Change it under Sending
      </Anchor>
    </Card>
  )
}

interface Props {
  storeName: string
  brand: ShopBrand
  own: Record<Language, OwnWording>
  language: Language
}

/** The real preference page with a made-up shopper; its controls are disabled. */
function PreferencePreview({ storeName, brand, own, language }: Props) {
  const style = useShopStyle(brand)
  const view: PreferencesView = {
    storeName,
    brand,
    language,
    wordings: Object.fromEntries(
      languages.map((each) => [each, fillWording(own[each], each, storeName)]),
    ) as PreferencesView['wordings'],
    browsers: 0,
    keptPath: '',
    channels: [
      { channel: 'email', address: 'j•••@example.com', isOn: true, isPending: false, lock: null },
      { channel: 'sms', address: '+12•••••43', isOn: true, isPending: false, lock: null },
      { channel: 'whatsapp', address: '+12•••••43', isOn: false, isPending: false, lock: null },
    ],
  }
  const card = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const form = { view, language, choice: NO_CHOICE, isSaving: false, error: null, outcome: null }
    const page = buildPreferencesForm({ ...form, onChoose: () => {}, onSave: () => {} })
    const shop = buildShop({ name: storeName, url: null, brand })
    card.current?.replaceChildren(h('div', { class: 'shopper-card' }, shop, page))
  })
  return (
    <figure style={{ margin: 0 }}>
      <Text component="figcaption" fz="sm" fw={550} mb="xs">
        Preview
      </Text>
      <div className="preview-frame" lang={language} style={style} inert ref={card} />
    </figure>
  )
}

const buildWordingKey = (storeId: string | undefined) => ['preference-wording', storeId]

function useWording() {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: buildWordingKey(storeId),
    queryFn: ({ signal }) => call(readPreferenceWording, { signal }),
    refetchOnWindowFocus: false,
  })
}

function useSaveWording() {
  const queries = useQueryClient()
  const storeId = useStore()?.id
  return useMutation({
    mutationFn: (body: { wordings: Record<Language, OwnWording>; version: string }) =>
      call(savePreferenceWording, { body }),
    onSuccess: (saved) => queries.setQueryData(buildWordingKey(storeId), saved),
  })
}
