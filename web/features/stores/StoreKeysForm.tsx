import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { storeTexts } from '../../../shared/access/stores.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { ApiError, getErrorText } from '../../core/api/api.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { KeyFields } from './KeyFields.tsx'
import type { useConnectStore } from './queries.ts'
import { checkKeys, type KeysForm } from './rules.ts'

interface Props {
  connect: ReturnType<typeof useConnectStore>
  isDisabled: boolean
  form: ReturnType<typeof useKeysForm>
}

/**
 * The input survives unmounting, so switching platforms loses nothing. `onAddress` is called while the address is
 * typed.
 */
export function useKeysForm(onAddress: (storeUrl: string) => void) {
  const form = useForm<KeysForm>({
    mode: 'uncontrolled',
    initialValues: { store_url: '', consumer_key: '', consumer_secret: '' },
    validate: checkKeys,
  })
  // The keys are not kept.
  const address = form.getValues().store_url
  useDraft('store-address', address || null, (store_url) => form.setFieldValue('store_url', store_url))
  form.watch('store_url', ({ value }) => onAddress(value))
  return form
}

export function StoreKeysForm({ connect, isDisabled, form }: Props) {
  const submit = form.onSubmit((values: KeysForm) => {
    const body = {
      platform: 'woocommerce' as const,
      store_url: values.store_url.trim(),
      consumer_key: values.consumer_key.trim(),
      consumer_secret: values.consumer_secret.trim(),
    }
    connect.mutate(body, { onError: (error) => error instanceof ApiError && form.setErrors(error.fields) })
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label="Store URL"
          description="As your customers open it, including any folder"
          placeholder="https://shop.example.com"
          inputMode="url"
          key={form.key('store_url')}
          {...form.getInputProps('store_url')}
          required
          withAsterisk={false}
          spellCheck={false}
          autoComplete="url"
        />
        <KeyFields form={form} />
        {connect.error && (
          <Notice tone="bad" title="Connection failed" isLive>
            {getErrorText(connect.error, storeTexts.connectFailed)}
          </Notice>
        )}
        <Button type="submit" loading={connect.isPending} disabled={isDisabled}>
          Connect Store
        </Button>
      </Stack>
    </form>
  )
}
