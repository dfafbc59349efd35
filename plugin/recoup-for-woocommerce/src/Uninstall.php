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
        delete_transient('recoup_nonces');
        delete_metadata('user', 0, Account::META, '', true);
        delete_metadata('user', 0, 'recoup_connect', '', true);
        Sender::unschedule();
    }
}
