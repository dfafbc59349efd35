import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type FormEventHandler, type ReactNode, useState } from 'react'
import { type StoreView, storeTexts } from '../../../shared/access/stores.ts'
import { capabilities } from '../../../shared/platforms/platforms.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { ApiError, getErrorText } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { KeyFields } from './KeyFields.tsx'
import { KeysSteps } from './KeysHelp.tsx'
import { useReplaceKeys } from './queries.ts'
import { checkKeys, type KeysForm } from './rules.ts'
import { ShopifySteps } from './ShopifyHelp.tsx'
import { ShopifyKeyFields, useCredentialKind } from './ShopifyKeyFields.tsx'
import { checkShopifyKeys, noShopifyKeys, type ShopifyForm, toShopifyKeys } from './shopify-rules.ts'

/** The demo store's keys cannot be replaced. */
export function useCanReplaceKeys(store: StoreView): boolean {
  const mayConnect = useHasPermission('stores:connect')
  return mayConnect && !store.isDemo
}

interface DialogProps {
  store: StoreView
  opened: boolean
  onClose: () => void
}

export function ReplaceKeysDialog({ store, opened, onClose }: DialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Replace keys" centered closeButtonProps={{ 'aria-label': 'Close' }}>
      <Replacing store={store} onClose={onClose} />
    </Modal>
  )
}

function Replacing({ store, onClose }: { store: StoreView; onClose: () => void }) {
  const [warnings, setWarnings] = useState<string[]>([])
  if (warnings.length > 0) return <Replaced warnings={warnings} onClose={onClose} />
  const isReplaced = (reply: { message: string; warnings: string[] }) => {
    announce(reply.message)
    if (reply.warnings.length > 0) setWarnings(reply.warnings)
    else onClose()
  }
  return <ReplaceForm store={store} onReplaced={isReplaced} onClose={onClose} />
}

interface Props {
  store: StoreView
  onReplaced: (reply: { message: string; warnings: string[] }) => void
  onClose: () => void
}

/** Each platform has its own kind of keys. */
const ReplaceForm = (props: Props) =>
  capabilities[props.store.platform].webhooks === 'keys' ? <ReplaceShopify {...props} /> : <ReplacePair {...props} />

function ReplacePair({ store, onReplaced, onClose }: Props) {
  const replace = useReplaceKeys(store.id)
  const form = useForm<KeysForm>({
    mode: 'uncontrolled',
    initialValues: { store_url: store.store_url, consumer_key: '', consumer_secret: '' },
    validate: checkKeys,
  })
  const submit = form.onSubmit(({ consumer_key, consumer_secret }: KeysForm) =>
    replace.mutate(
      { consumer_key: consumer_key.trim(), consumer_secret: consumer_secret.trim() },
      { onSuccess: onReplaced, onError: (error) => error instanceof ApiError && form.setErrors(error.fields) },
    ),
  )
  return (
    <Replacement store={store} replace={replace} onSubmit={submit} onClose={onClose}>
      <KeyFields form={form} />
      <details className="more-help">
        <summary>How to get new keys</summary>
        <KeysSteps storeUrl={store.store_url} />
      </details>
    </Replacement>
  )
}

function ReplaceShopify({ store, onReplaced, onClose }: Props) {
  const replace = useReplaceKeys(store.id)
  const form = useForm<ShopifyForm>({
    mode: 'uncontrolled',
    initialValues: { ...noShopifyKeys, store_url: store.store_url },
    validate: checkShopifyKeys,
  })
  const kind = useCredentialKind(form)
  const submit = form.onSubmit((values: ShopifyForm) =>
    replace.mutate(toShopifyKeys(values), {
      onSuccess: onReplaced,
      onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
    }),
  )
  return (
    <Replacement store={store} replace={replace} onSubmit={submit} onClose={onClose}>
      <ShopifyKeyFields form={form} kind={kind} />
      <details className="more-help">
        <summary>How to get new credentials</summary>
        <ShopifySteps kind={kind} />
      </details>
    </Replacement>
  )
}

interface ReplacementProps {
  store: StoreView
  replace: ReturnType<typeof useReplaceKeys>
  onSubmit: FormEventHandler<HTMLFormElement>
  onClose: () => void
  children: ReactNode
}

function Replacement({ store, replace, onSubmit, onClose, children }: ReplacementProps) {
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <Text fz="sm">
          The new keys are checked with {store.store_url} first. If they do not work, the old ones stay in use. Carts,
          flows and waiting messages stay as they are.
        </Text>
        {children}
        {replace.error && (
          <Notice tone="bad" title="The keys were not replaced" isLive>
            {getErrorText(replace.error, storeTexts.replaceFailed)}
          </Notice>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={replace.isPending}>
            Check and replace
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** The keys work but lack permissions; shown before the dialog closes. */
function Replaced({ warnings, onClose }: { warnings: string[]; onClose: () => void }) {
  return (
    <Stack gap="md">
      <Text fz="sm">The keys are replaced.</Text>
      {warnings.map((warning) => (
        <Notice key={warning} tone="warn" isLive>
          {warning}
        </Notice>
      ))}
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </Stack>
  )
}
