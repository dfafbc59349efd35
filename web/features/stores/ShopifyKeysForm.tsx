import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { storeTexts } from '../../../shared/access/stores.ts'
import { ApiError, getErrorText } from '../../core/api/api.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import type { useConnectStore } from './queries.ts'
import { ShopifyKeyFields } from './ShopifyKeyFields.tsx'
import { checkShopifyKeys, noShopifyKeys, type ShopifyForm, toShopifyKeys } from './shopify-rules.ts'

interface Props {
  connect: ReturnType<typeof useConnectStore>
  isDisabled: boolean
  form: ReturnType<typeof useShopifyForm>
  kind: ShopifyForm['kind']
}

export const useShopifyForm = () =>
  useForm<ShopifyForm>({
    mode: 'uncontrolled',
    initialValues: { ...noShopifyKeys, store_url: '' },
    validate: checkShopifyKeys,
  })

/** Connects a Shopify store with an app's credentials, or with a token of an app created before 2026. */
export function ShopifyKeysForm({ connect, isDisabled, form, kind }: Props) {
  const submit = form.onSubmit((values: ShopifyForm) =>
    connect.mutate(
      { platform: 'shopify', store_url: values.store_url.trim(), ...toShopifyKeys(values) },
      { onError: (error) => error instanceof ApiError && form.setErrors(error.fields) },
    ),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label="Store URL"
          description="The address ending in .myshopify.com, or your admin’s address"
          placeholder="your-shop.myshopify.com"
          inputMode="url"
          key={form.key('store_url')}
          {...form.getInputProps('store_url')}
          required
          withAsterisk={false}
          spellCheck={false}
          autoComplete="url"
        />
        <ShopifyKeyFields form={form} kind={kind} />
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
