from tkm_env.core.record_schema import record_fields

for name, field in record_fields().items():
    print(name, field.is_required, field.meaning)
