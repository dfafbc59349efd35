import '../restore/shopper.css'
import { Card, Text } from '@mantine/core'
import {
  fillWording,
  type Language,
  languages,
  type OwnWording,
  type PreferencesView,
} from '../../shared/preferences.ts'
import type { ShopBrand } from '../../shared/shop-brand.ts'
import { PreferencesForm } from '../restore/PreferencesForm.tsx'
import { Shop } from '../restore/ShopperPage.tsx'
import { useShopStyle } from '../restore/use-shop-look.ts'

interface Props {
  storeName: string
  brand: ShopBrand
  own: Record<Language, OwnWording>
  language: Language
}

/** The real preference page with a made-up shopper; its controls are disabled. */
export function PreferencePreview({ storeName, brand, own, language }: Props) {
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
  return (
    <figure style={{ margin: 0 }}>
      <Text component="figcaption" fz="sm" fw={550} mb="xs">
        Preview
      </Text>
      <div className="preview-frame" lang={language} style={style} inert>
        <Card className="shopper-card" padding={0}>
          <Shop name={storeName} url={null} brand={brand} />
          <PreferencesForm
            key={language}
            view={view}
            language={language}
            isSaving={false}
            error={null}
            onSave={() => Promise.resolve()}
          />
        </Card>
      </div>
    </figure>
  )
}
