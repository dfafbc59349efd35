import type { ComponentType } from 'react'
import { BeforeConsent } from './BeforeConsent.tsx'
import { BoxSettings } from './BoxSettings.tsx'
import { CountryTable } from './CountryTable.tsx'
import { ConsentImport } from './LedgerImport.tsx'
import { LedgerSearch } from './LedgerSearch.tsx'
import { DataSubject } from './OneDataSubject.tsx'
import { PreferenceSettings } from './PreferenceSettings.tsx'
import { SuppressionList } from './SuppressionList.tsx'

interface ConsentSection {
  /** The section in the hash, so it can be linked and Back works. */
  id: string
  title: string
  Component: ComponentType
}

/** Sections of Settings → Consent in order; the first is the default. */
export const consentSections: readonly ConsentSection[] = [
  { id: 'countries', title: 'Countries', Component: CountryTable },
  { id: 'capture', title: 'Before consent', Component: BeforeConsent },
  { id: 'boxes', title: 'Boxes', Component: BoxSettings },
  { id: 'suppressions', title: 'Suppression list', Component: SuppressionList },
  { id: 'ledger', title: 'Consent ledger', Component: LedgerSearch },
  { id: 'import', title: 'Import consents', Component: ConsentImport },
  { id: 'preferences', title: 'Preference page', Component: PreferenceSettings },
  { id: 'person', title: 'Data requests', Component: DataSubject },
]

export const findSection = (hash: string) => consentSections.find(({ id }) => `#${id}` === hash) ?? consentSections[0]!
