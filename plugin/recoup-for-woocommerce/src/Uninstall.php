<?php

namespace Recoup\WooCommerce;

final class Uninstall
{
    public static function run(): void
    {
        if (Connection::exists()) {
            Connect::disconnect('uninstall');
        }
        Outbox::drop();
        delete_option(Connection::OPTION);
        delete_option(State::OPTION);
        delete_site_option(Connection::URL_OPTION);
        delete_transient('recoup_nonces');
        foreach (array_merge([Account::META, 'recoup_connect'], Consent::legacyMetaKeys()) as $name) {
            delete_metadata('user', 0, $name, '', true);
        }
        Sender::unschedule();
    }
}
