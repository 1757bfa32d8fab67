from flask_babel import gettext, lazy_gettext

SENTENCES = {
    "invalid_request": lazy_gettext("Hay datos que no se entienden o faltan."),
    "malformed_json": lazy_gettext("El cuerpo no es JSON válido."),
    "offset_required": lazy_gettext("A la hora le falta el desfase: por ejemplo -03:00 o Z."),
    "unauthenticated": lazy_gettext("Falta la clave o no es válida."),
    "forbidden": lazy_gettext("No tenés permiso para esto."),
    "not_found": lazy_gettext("No existe o no es de este local."),
    "method_not_allowed": lazy_gettext("Acá no se puede hacer eso."),
    "conflict": lazy_gettext("Algo cambió mientras tanto."),
    "slot_taken": lazy_gettext("Ese horario se acaba de ocupar."),
    "hold_expired": lazy_gettext("La pre-reserva venció y el horario quedó libre."),
    "invalid_transition": lazy_gettext("La reserva ya no está en un estado que lo permita."),
    "already_rescheduled": lazy_gettext("Esta reserva ya se movió a otra."),
    "outside_cancellation_window": lazy_gettext(
        "Ya pasó el plazo para cancelar. Escribile al local."
    ),
    "stale_version": lazy_gettext("Otra persona cambió la reserva. Mirala de nuevo."),
    "stale_customer": lazy_gettext("Otra persona cambió esta ficha. Mirala de nuevo."),
    "customer_merged": lazy_gettext("Esa ficha ya es parte de otra."),
    "capacity_in_use": lazy_gettext("Hay más lugares vendidos que esa capacidad."),
    "account_in_use": lazy_gettext("El local ya tiene una cuenta abierta."),
    "payment_decided": lazy_gettext("Ya lo decidió otra persona."),
    "refund_too_late": lazy_gettext("El banco ya no lo devuelve: pasó el plazo. Devolvelo a mano."),
    "more_than_paid": lazy_gettext("Es más de lo que queda de ese pago."),
    "idempotency_key_required": lazy_gettext("Falta el encabezado Idempotency-Key."),
    "idempotency_key_in_use": lazy_gettext("El primer pedido con esta clave sigue en curso."),
    "idempotency_key_reused": lazy_gettext("Esta Idempotency-Key ya se usó con otros datos."),
    "in_the_past": lazy_gettext("Ese horario ya pasó."),
    "outside_hours": lazy_gettext("Está fuera del horario de atención."),
    "notice_too_short": lazy_gettext("Falta muy poco: hay que reservar con más anticipación."),
    "beyond_horizon": lazy_gettext("Todavía no se toman reservas para esa fecha."),
    "no_change": lazy_gettext("Es el mismo horario y el mismo lugar."),
    "too_many_units": lazy_gettext("No hay tantos lugares."),
    "unknown_timezone": lazy_gettext("No es el nombre de una zona horaria."),
    "unsupported_media_type": lazy_gettext("El cuerpo tiene que ser application/json."),
    "body_too_large": lazy_gettext("El pedido es demasiado grande."),
    "rate_limited": lazy_gettext("Muchos intentos: esperá un momento."),
    "too_many_holds": lazy_gettext(
        "Hay demasiadas pre-reservas abiertas. Confirmá alguna o esperá a que venzan."
    ),
    "payment_provider_unavailable": lazy_gettext(
        "Ahora no se puede cobrar la seña. La pre-reserva sigue como estaba."
    ),
    "busy": lazy_gettext("Hay mucho movimiento. Probá de nuevo en unos segundos."),
    "session_expired": lazy_gettext("La sesión venció. Entrá de nuevo: lo escrito sigue acá."),
    "internal_error": lazy_gettext("Algo falló de nuestro lado. No se cambió nada."),
}
"""What people read for each code. Codes never change; sentences may."""

FIELD_SENTENCES = {
    "required": lazy_gettext("Falta este dato."),
    "unknown_field": lazy_gettext("Este campo no existe."),
    "invalid": lazy_gettext("Este dato no se entiende."),
    "invalid_phone": lazy_gettext("No parece un teléfono. Por ejemplo: 099 123 456."),
    "invalid_email": lazy_gettext("No parece un correo."),
    "invalid_text": lazy_gettext("El texto tiene caracteres que no se pueden guardar."),
    "too_long": lazy_gettext("Es demasiado largo."),
    "time_does_not_exist": lazy_gettext("Esa hora no existe ese día: cambia el reloj."),
    "ambiguous_time": lazy_gettext("Esa hora pasa dos veces ese día: elegí cuál."),
    "not_on_grid": lazy_gettext("El servicio no empieza a esa hora."),
    "one_per_need": lazy_gettext("Elegí uno solo para cada cosa."),
    "twice": lazy_gettext("Está dos veces."),
    "invalid_type": lazy_gettext("Es otro tipo de dato."),
    "invalid_instant": lazy_gettext(
        "No es una fecha y hora que exista: por ejemplo 2026-03-10T10:00:00-03:00."
    ),
    "offset_required": lazy_gettext("A la hora le falta el desfase: por ejemplo -03:00 o Z."),
    "out_of_range": lazy_gettext("Es demasiado chico o demasiado grande."),
    "invalid_cursor": lazy_gettext("No es el cursor de esta lista."),
    "invalid_key": lazy_gettext("Tiene que tener de 1 a 255 caracteres ASCII visibles."),
    "not_an_object": lazy_gettext("El cuerpo tiene que ser un objeto JSON."),
    "not_after_from": lazy_gettext("El final tiene que estar después del principio."),
    "window_too_long": lazy_gettext("El período es de más de 62 días."),
    "not_bookable": lazy_gettext("El servicio no tiene quién lo atienda."),
}
"""What people read beside a field that is wrong."""


def sentence(code: str) -> str:
    """Tell what happened, in the reader's language."""
    return str(SENTENCES.get(code) or gettext("Algo no salió bien."))


def field_sentence(code: str) -> str:
    """Tell what is wrong with a field, in the reader's language."""
    return str(FIELD_SENTENCES.get(code) or FIELD_SENTENCES["invalid"])
